// Requests go to a store through a channel, and come back through another. With argument 1 the store
// compacts its log at every 25th request. Tells how long the late answers took.
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

struct Request {
    key: u64,
    answer: Sender<u64>,
}

#[inline(never)]
fn compact_log(log: &mut [u64]) {
    for round in 0..40 {
        let mut sum = round;
        for entry in log.iter_mut() {
            sum = (sum ^ *entry).wrapping_mul(1099511628211);
            *entry = sum;
        }
    }
}

#[inline(never)]
fn serve(requests: Receiver<Request>, compacts: bool) {
    let mut log: Vec<u64> = (0..1_000_000u64).map(|i| i.wrapping_mul(2654435761)).collect();
    for request in requests {
        if compacts && request.key % 25 == 0 {
            compact_log(&mut log);
        }
        let _ = request.answer.send(log[request.key as usize % log.len()]);
    }
}

fn main() {
    let compacts = std::env::args().nth(1).map_or(false, |a| a == "1");
    let (send, receive) = channel::<Request>();
    let store = thread::Builder::new()
        .name("store".to_string())
        .spawn(move || serve(receive, compacts))
        .unwrap();
    let (mut sum, mut late) = (0u64, Duration::ZERO);
    for key in 0..400 {
        let asked = Instant::now();
        let (answer, answers) = channel();
        send.send(Request { key, answer }).unwrap();
        sum = sum.wrapping_add(answers.recv().unwrap());
        if asked.elapsed() > Duration::from_millis(3) {
            late += asked.elapsed();
        }
        thread::sleep(Duration::from_millis(1));
    }
    drop(send);
    store.join().unwrap();
    println!("sum {}\nfault_ns {}", sum, late.as_nanos());
}
