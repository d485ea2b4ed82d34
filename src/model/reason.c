/* Derives the reason and the device of a wait from stacks (docs/model.md). */
#include "model/reason.h"

#include "base/glob.h"

/*
 * How specific a frame is. The highest rank in a stack wins, of equal ranks the innermost:
 *  - RANK_SURE: the frame knows what is waited for (`unix_stream_data_wait`)
 *  - RANK_SHARED: used by several, right if no outer frame is more specific (`sk_wait_data`)
 *  - RANK_FAINT: a hint at most (`schedule_timeout`)
 */
enum { RANK_NONE, RANK_FAINT, RANK_SHARED, RANK_SURE };

struct row {
	const char *glob;
	uint8_t value, rank; /* of a reason, a device, or marks, which have no rank */
};

/* Kernel functions, 4.x to 6.x; compared without compiler suffixes (".isra.0"). */
static const struct row kernel_rows[] = {
	/* Locks that programs see, and those of the kernel. */
	{"futex_wait*", LODE_REASON_LOCK, RANK_SURE},
	{"__futex_wait*", LODE_REASON_LOCK, RANK_SURE},
	{"futex_do_wait", LODE_REASON_LOCK, RANK_SURE},
	{"futex_lock_pi*", LODE_REASON_LOCK, RANK_SURE},
	{"do_futex", LODE_REASON_LOCK, RANK_SURE},
	{"rwsem_down_*", LODE_REASON_LOCK, RANK_SURE},
	{"call_rwsem_down_*", LODE_REASON_LOCK, RANK_SURE},
	{"down_read*", LODE_REASON_LOCK, RANK_SURE},
	{"down_write*", LODE_REASON_LOCK, RANK_SURE},
	{"__down*", LODE_REASON_LOCK, RANK_SURE},
	{"down", LODE_REASON_LOCK, RANK_SURE},
	{"down_interruptible", LODE_REASON_LOCK, RANK_SURE},
	{"down_killable", LODE_REASON_LOCK, RANK_SURE},
	{"down_timeout", LODE_REASON_LOCK, RANK_SURE},
	{"mutex_lock*", LODE_REASON_LOCK, RANK_SURE},
	{"__mutex_lock*", LODE_REASON_LOCK, RANK_SURE},
	{"__ww_mutex_lock*", LODE_REASON_LOCK, RANK_SURE},
	{"ww_mutex_lock*", LODE_REASON_LOCK, RANK_SURE},
	{"rt_mutex_*lock*", LODE_REASON_LOCK, RANK_SURE},
	{"__rt_mutex_*lock*", LODE_REASON_LOCK, RANK_SURE},
	{"rt_mutex_schedule", LODE_REASON_LOCK, RANK_SURE},
	{"rwbase_*", LODE_REASON_LOCK, RANK_SURE},
	{"rtlock_slowlock*", LODE_REASON_LOCK, RANK_SURE},
	{"percpu_rwsem_wait", LODE_REASON_LOCK, RANK_SURE},
	{"percpu_down_write", LODE_REASON_LOCK, RANK_SURE},
	{"__percpu_down_read", LODE_REASON_LOCK, RANK_SURE},
	{"__lock_sock", LODE_REASON_LOCK, RANK_SURE},
	{"lock_sock_nested", LODE_REASON_LOCK, RANK_SURE},
	{"flock_lock_inode_wait", LODE_REASON_LOCK, RANK_SURE},
	{"locks_lock_inode_wait", LODE_REASON_LOCK, RANK_SURE},
	{"fcntl_setlk*", LODE_REASON_LOCK, RANK_SURE},
	{"do_lock_file_wait", LODE_REASON_LOCK, RANK_SURE},
	{"__break_lease", LODE_REASON_LOCK, RANK_SURE},
	{"do_semtimedop", LODE_REASON_LOCK, RANK_SURE},
	{"__do_semtimedop", LODE_REASON_LOCK, RANK_SURE},
	{"__wait_on_freeing_inode", LODE_REASON_LOCK, RANK_SURE},
	{"d_alloc_parallel", LODE_REASON_LOCK, RANK_SURE},
	{"d_wait_lookup", LODE_REASON_LOCK, RANK_SURE},

	/* Block devices and the file systems above them. */
	{"io_schedule*", LODE_REASON_DISK, RANK_SURE},
	{"blk_*", LODE_REASON_DISK, RANK_SURE},
	{"__blk_*", LODE_REASON_DISK, RANK_SURE},
	{"blkdev_issue_*", LODE_REASON_DISK, RANK_SURE},
	{"blkcg_maybe_throttle*", LODE_REASON_DISK, RANK_SURE},
	{"submit_bio_wait", LODE_REASON_DISK, RANK_SURE},
	{"rq_qos_wait", LODE_REASON_DISK, RANK_SURE},
	{"wbt_wait", LODE_REASON_DISK, RANK_SURE},
	{"wait_on_buffer", LODE_REASON_DISK, RANK_SURE},
	{"__wait_on_buffer", LODE_REASON_DISK, RANK_SURE},
	{"__bread*", LODE_REASON_DISK, RANK_SURE},
	{"__sync_dirty_buffer", LODE_REASON_DISK, RANK_SURE},
	{"wait_on_page_*", LODE_REASON_DISK, RANK_SURE},
	{"__wait_on_page_*", LODE_REASON_DISK, RANK_SURE},
	{"put_and_wait_on_page_locked", LODE_REASON_DISK, RANK_SURE},
	{"__lock_page*", LODE_REASON_DISK, RANK_SURE},
	{"folio_wait_*", LODE_REASON_DISK, RANK_SURE},
	{"folio_put_wait_locked", LODE_REASON_DISK, RANK_SURE},
	{"__folio_lock*", LODE_REASON_DISK, RANK_SURE},
	{"migration_entry_wait*", LODE_REASON_LOCK, RANK_SURE},
	{"filemap_fdatawait*", LODE_REASON_DISK, RANK_SURE},
	{"__filemap_fdatawait*", LODE_REASON_DISK, RANK_SURE},
	{"file_write_and_wait_range", LODE_REASON_DISK, RANK_SURE},
	{"balance_dirty_pages*", LODE_REASON_DISK, RANK_SURE},
	{"wb_wait_for_completion", LODE_REASON_DISK, RANK_SURE},
	{"wb_wait_completion", LODE_REASON_DISK, RANK_SURE},
	{"sync_inodes_sb", LODE_REASON_DISK, RANK_SURE},
	{"congestion_wait", LODE_REASON_DISK, RANK_SURE},
	{"wait_iff_congested", LODE_REASON_DISK, RANK_SURE},
	{"swap_readpage", LODE_REASON_DISK, RANK_SURE},
	{"swap_read_folio*", LODE_REASON_DISK, RANK_SURE},
	{"swapin_readahead", LODE_REASON_DISK, RANK_SHARED},
	{"dio_await_*", LODE_REASON_DISK, RANK_SURE},
	{"__blockdev_direct_IO", LODE_REASON_DISK, RANK_SURE},
	{"__blkdev_direct_IO*", LODE_REASON_DISK, RANK_SURE},
	{"iomap_dio_*", LODE_REASON_DISK, RANK_SURE},
	{"__iomap_dio_*", LODE_REASON_DISK, RANK_SURE},
	{"read_events", LODE_REASON_DISK, RANK_SURE},
	{"do_io_getevents", LODE_REASON_DISK, RANK_SURE},
	{"wait_transaction_locked", LODE_REASON_DISK, RANK_SURE},
	{"wait_transaction_switching", LODE_REASON_DISK, RANK_SURE},
	{"add_transaction_credits", LODE_REASON_DISK, RANK_SURE},
	{"start_this_handle", LODE_REASON_DISK, RANK_SURE},
	{"do_get_write_access", LODE_REASON_DISK, RANK_SURE},
	{"jbd2_*", LODE_REASON_DISK, RANK_SURE},
	{"__jbd2_*", LODE_REASON_DISK, RANK_SURE},
	{"ext4_sync_file", LODE_REASON_DISK, RANK_SURE},
	{"ext4_io_submit*", LODE_REASON_DISK, RANK_SURE},
	{"_xfs_log_force*", LODE_REASON_DISK, RANK_SURE},
	{"xfs_log_*", LODE_REASON_DISK, RANK_SURE},
	{"xlog_*", LODE_REASON_DISK, RANK_SURE},
	{"xfs_buf_*", LODE_REASON_DISK, RANK_SURE},
	{"xfs_iunpin*", LODE_REASON_DISK, RANK_SURE},
	{"__xfs_iunpin*", LODE_REASON_DISK, RANK_SURE},
	{"xfsaild", LODE_REASON_OTHER, RANK_SHARED},
	{"btrfs_wait_*", LODE_REASON_DISK, RANK_SURE},
	{"btrfs_start_ordered_extent*", LODE_REASON_DISK, RANK_SURE},
	{"btrfs_sync_log", LODE_REASON_DISK, RANK_SURE},
	{"btrfs_commit_transaction", LODE_REASON_DISK, RANK_SURE},
	{"wait_current_trans", LODE_REASON_DISK, RANK_SURE},
	{"wait_log_commit", LODE_REASON_DISK, RANK_SURE},
	{"f2fs_wait_*", LODE_REASON_DISK, RANK_SURE},
	{"f2fs_issue_checkpoint", LODE_REASON_DISK, RANK_SURE},
	{"f2fs_issue_flush", LODE_REASON_DISK, RANK_SURE},
	{"squashfs_cache_get", LODE_REASON_DISK, RANK_SURE},
	{"zil_commit*", LODE_REASON_DISK, RANK_SURE},
	{"txg_wait_*", LODE_REASON_DISK, RANK_SURE},
	{"zio_wait", LODE_REASON_DISK, RANK_SURE},
	{"scsi_execute*", LODE_REASON_DISK, RANK_SURE},
	{"nvme_submit_sync_cmd", LODE_REASON_DISK, RANK_SURE},
	{"__nvme_submit_sync_cmd", LODE_REASON_DISK, RANK_SURE},
	{"ata_exec_internal*", LODE_REASON_DISK, RANK_SURE},
	{"md_super_wait", LODE_REASON_DISK, RANK_SURE},
	{"sync_io", LODE_REASON_DISK, RANK_SHARED},
	{"dm_io*", LODE_REASON_DISK, RANK_SHARED},
	{"kvm_async_pf_task_wait*", LODE_REASON_FAULT, RANK_SURE},
	{"handle_userfault", LODE_REASON_FAULT, RANK_SURE},

	/* Sockets, and file systems over the network. */
	{"sk_wait_data", LODE_REASON_NETWORK, RANK_SHARED},
	{"sk_stream_wait_*", LODE_REASON_NETWORK, RANK_SHARED},
	{"__skb_wait_for_more_packets", LODE_REASON_NETWORK, RANK_SHARED},
	{"wait_for_more_packets", LODE_REASON_NETWORK, RANK_SHARED},
	{"__skb_recv_*", LODE_REASON_NETWORK, RANK_SHARED},
	{"skb_recv_datagram", LODE_REASON_NETWORK, RANK_SHARED},
	{"sock_alloc_send_pskb", LODE_REASON_NETWORK, RANK_SHARED},
	{"sock_wait_for_wmem", LODE_REASON_NETWORK, RANK_SHARED},
	{"sock_recvmsg*", LODE_REASON_NETWORK, RANK_SHARED},
	{"sock_sendmsg*", LODE_REASON_NETWORK, RANK_SHARED},
	{"tcp_*", LODE_REASON_NETWORK, RANK_SURE},
	{"do_tcp_*", LODE_REASON_NETWORK, RANK_SURE},
	{"mptcp_*", LODE_REASON_NETWORK, RANK_SURE},
	{"udp_*", LODE_REASON_NETWORK, RANK_SURE},
	{"udpv6_*", LODE_REASON_NETWORK, RANK_SURE},
	{"raw_recvmsg", LODE_REASON_NETWORK, RANK_SURE},
	{"rawv6_recvmsg", LODE_REASON_NETWORK, RANK_SURE},
	{"packet_recvmsg", LODE_REASON_NETWORK, RANK_SURE},
	{"packet_snd", LODE_REASON_NETWORK, RANK_SURE},
	{"inet_csk_accept", LODE_REASON_NETWORK, RANK_SURE},
	{"inet_csk_wait_for_connect", LODE_REASON_NETWORK, RANK_SURE},
	{"inet_wait_for_connect", LODE_REASON_NETWORK, RANK_SURE},
	{"*inet_stream_connect", LODE_REASON_NETWORK, RANK_SURE},
	{"vsock_*", LODE_REASON_NETWORK, RANK_SURE},
	{"sctp_*", LODE_REASON_NETWORK, RANK_SURE},
	{"rpc_wait*", LODE_REASON_NETWORK, RANK_SURE},
	{"__rpc_*", LODE_REASON_NETWORK, RANK_SURE},
	{"rpc_execute", LODE_REASON_NETWORK, RANK_SURE},
	{"nfs_wait_*", LODE_REASON_NETWORK, RANK_SURE},
	{"nfs4_*", LODE_REASON_NETWORK, RANK_SHARED},
	{"cifs_*", LODE_REASON_NETWORK, RANK_SHARED},
	{"smb2_*", LODE_REASON_NETWORK, RANK_SHARED},
	{"ceph_*", LODE_REASON_NETWORK, RANK_SHARED},
	{"p9_client_rpc", LODE_REASON_NETWORK, RANK_SURE},
	{"p9_virtio_*", LODE_REASON_NETWORK, RANK_SURE},

	/* Data from another thread. */
	{"pipe_read", LODE_REASON_IPC, RANK_SURE},
	{"pipe_write", LODE_REASON_IPC, RANK_SURE},
	{"pipe_wait*", LODE_REASON_IPC, RANK_SURE},
	{"anon_pipe_*", LODE_REASON_IPC, RANK_SURE},
	{"fifo_open", LODE_REASON_IPC, RANK_SURE},
	{"fifo_pipe_*", LODE_REASON_IPC, RANK_SURE},
	{"wait_for_partner", LODE_REASON_IPC, RANK_SURE},
	{"splice_from_pipe*", LODE_REASON_IPC, RANK_SHARED},
	{"wait_for_space", LODE_REASON_IPC, RANK_SHARED},
	{"unix_*", LODE_REASON_IPC, RANK_SURE},
	{"netlink_*", LODE_REASON_IPC, RANK_SURE},
	{"eventfd_*", LODE_REASON_IPC, RANK_SURE},
	{"signalfd_*", LODE_REASON_IPC, RANK_SURE},
	{"inotify_read", LODE_REASON_IPC, RANK_SURE},
	{"fanotify_read", LODE_REASON_IPC, RANK_SURE},
	{"fanotify_handle_event", LODE_REASON_IPC, RANK_SURE},
	{"do_mq_timed*", LODE_REASON_IPC, RANK_SURE},
	{"wq_sleep", LODE_REASON_IPC, RANK_SURE},
	{"do_msgrcv", LODE_REASON_IPC, RANK_SURE},
	{"do_msgsnd", LODE_REASON_IPC, RANK_SURE},
	{"n_tty_read", LODE_REASON_IPC, RANK_SURE},
	{"n_tty_write", LODE_REASON_IPC, RANK_SURE},
	{"tty_wait_until_sent", LODE_REASON_IPC, RANK_SURE},
	{"request_wait_answer", LODE_REASON_IPC, RANK_SURE},
	{"__fuse_request_send", LODE_REASON_IPC, RANK_SURE},
	{"__fuse_simple_request", LODE_REASON_IPC, RANK_SURE},
	{"fuse_dev_do_read", LODE_REASON_IPC, RANK_SURE},
	{"binder_*", LODE_REASON_IPC, RANK_SURE},
	{"kernfs_fop_read*", LODE_REASON_IPC, RANK_FAINT},

	/* Several files at once. */
	{"do_poll*", LODE_REASON_POLL, RANK_SURE},
	{"do_sys_poll", LODE_REASON_POLL, RANK_SURE},
	{"poll_schedule_timeout*", LODE_REASON_POLL, RANK_SURE},
	{"do_select", LODE_REASON_POLL, RANK_SURE},
	{"core_sys_select", LODE_REASON_POLL, RANK_SURE},
	{"ep_poll", LODE_REASON_POLL, RANK_SURE},
	{"do_epoll_*wait*", LODE_REASON_POLL, RANK_SURE},
	{"io_cqring_wait*", LODE_REASON_POLL, RANK_SURE},

	/* The clock. */
	{"do_nanosleep", LODE_REASON_TIMER, RANK_SURE},
	{"hrtimer_nanosleep*", LODE_REASON_TIMER, RANK_SURE},
	{"common_nsleep*", LODE_REASON_TIMER, RANK_SURE},
	{"*clock_nanosleep*", LODE_REASON_TIMER, RANK_SURE},
	{"alarm_timer_nsleep", LODE_REASON_TIMER, RANK_SURE},
	{"alarmtimer_do_nsleep", LODE_REASON_TIMER, RANK_SURE},
	{"msleep*", LODE_REASON_TIMER, RANK_SURE},
	{"usleep_range*", LODE_REASON_TIMER, RANK_SURE},
	{"timerfd_read*", LODE_REASON_TIMER, RANK_SURE},
	{"schedule_hrtimeout*", LODE_REASON_TIMER, RANK_FAINT},
	{"schedule_timeout*", LODE_REASON_TIMER, RANK_FAINT},

	/* Processes. */
	{"do_wait", LODE_REASON_CHILD, RANK_SURE},
	{"__do_wait", LODE_REASON_CHILD, RANK_SURE},
	{"kernel_wait*", LODE_REASON_CHILD, RANK_SURE},
	{"wait_for_vfork_done", LODE_REASON_CHILD, RANK_SURE},
	{"_do_fork", LODE_REASON_CHILD, RANK_SURE},
	{"kernel_clone", LODE_REASON_CHILD, RANK_SURE},
	{"call_usermodehelper_exec", LODE_REASON_CHILD, RANK_SURE},
	{"de_thread", LODE_REASON_CHILD, RANK_SURE},
	{"coredump_wait", LODE_REASON_CHILD, RANK_SURE},

	/* Idle kernel threads, signals, and waits whose object their stack does not name. */
	{"worker_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"rescuer_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"kthread_worker_fn", LODE_REASON_OTHER, RANK_SHARED},
	{"smpboot_thread_fn", LODE_REASON_OTHER, RANK_SHARED},
	{"kthreadd", LODE_REASON_OTHER, RANK_SHARED},
	{"rcu_*kthread*", LODE_REASON_OTHER, RANK_SHARED},
	{"rcu_gp_fqs_loop", LODE_REASON_OTHER, RANK_SHARED},
	{"rcu_nocb_*", LODE_REASON_OTHER, RANK_SHARED},
	{"kswapd", LODE_REASON_OTHER, RANK_SHARED},
	{"kcompactd", LODE_REASON_OTHER, RANK_SHARED},
	{"khugepaged*", LODE_REASON_OTHER, RANK_SHARED},
	{"ksm_scan_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"oom_reaper", LODE_REASON_OTHER, RANK_SHARED},
	{"kjournald2", LODE_REASON_OTHER, RANK_SHARED},
	{"kauditd_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"irq_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"irq_wait_for_interrupt", LODE_REASON_OTHER, RANK_SURE},
	{"io_wq*_worker", LODE_REASON_OTHER, RANK_SHARED},
	{"io_sq_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"vhost_*worker", LODE_REASON_OTHER, RANK_SHARED},
	{"loop_thread", LODE_REASON_OTHER, RANK_SHARED},
	{"wait_for_completion*", LODE_REASON_OTHER, RANK_SHARED},
	{"__wait_for_common", LODE_REASON_OTHER, RANK_SHARED},
	{"wait_for_common*", LODE_REASON_OTHER, RANK_SHARED},
	{"synchronize_*rcu*", LODE_REASON_OTHER, RANK_SURE},
	{"__wait_rcu_gp", LODE_REASON_OTHER, RANK_SURE},
	{"__flush_work", LODE_REASON_OTHER, RANK_SHARED},
	{"flush_workqueue", LODE_REASON_OTHER, RANK_SHARED},
	{"do_sigtimedwait*", LODE_REASON_OTHER, RANK_SURE},
	{"sigsuspend", LODE_REASON_OTHER, RANK_SURE},
	{"ptrace_stop", LODE_REASON_OTHER, RANK_SURE},
	{"do_signal_stop", LODE_REASON_OTHER, RANK_SURE},
	{"do_freezer_trap", LODE_REASON_OTHER, RANK_SURE},
	{"__refrigerator", LODE_REASON_OTHER, RANK_SURE},
};

/*
 * System calls, and the library functions of the same name: without their prefixes ("__",
 * "__libc_", "sys_enter_", ...).
 */
static const struct row call_rows[] = {
	{"futex", LODE_REASON_LOCK, 0},
	{"futex_*wait*", LODE_REASON_LOCK, 0},
	{"futex_lock_pi*", LODE_REASON_LOCK, 0},
	{"lll_lock_wait*", LODE_REASON_LOCK, 0},
	{"lll_timedlock_wait*", LODE_REASON_LOCK, 0},
	{"lll_timedwait_tid", LODE_REASON_LOCK, 0},
	{"pthread_*join*", LODE_REASON_LOCK, 0},
	{"pthread_*lock*", LODE_REASON_LOCK, 0},
	{"pthread_*wait*", LODE_REASON_LOCK, 0},
	{"cnd_*wait", LODE_REASON_LOCK, 0},
	{"mtx_*lock", LODE_REASON_LOCK, 0},
	{"sem_*wait*", LODE_REASON_LOCK, 0},
	{"new_sem_wait*", LODE_REASON_LOCK, 0},
	{"semop", LODE_REASON_LOCK, 0},
	{"semtimedop", LODE_REASON_LOCK, 0},
	{"flock", LODE_REASON_LOCK, 0},
	{"timedwait*", LODE_REASON_LOCK, 0},
	{"*nanosleep*", LODE_REASON_TIMER, 0},
	{"sleep", LODE_REASON_TIMER, 0},
	{"usleep", LODE_REASON_TIMER, 0},
	{"poll", LODE_REASON_POLL, 0},
	{"ppoll", LODE_REASON_POLL, 0},
	{"poll_chk", LODE_REASON_POLL, 0},
	{"select", LODE_REASON_POLL, 0},
	{"_newselect", LODE_REASON_POLL, 0},
	{"pselect*", LODE_REASON_POLL, 0},
	{"epoll_*wait*", LODE_REASON_POLL, 0},
	{"io_uring_enter", LODE_REASON_POLL, 0},
	{"io_uring_wait*", LODE_REASON_POLL, 0},
	{"wait", LODE_REASON_CHILD, 0},
	{"wait[34p]*", LODE_REASON_CHILD, 0},
	{"waitid", LODE_REASON_CHILD, 0},
	{"vfork", LODE_REASON_CHILD, 0},
	{"posix_spawn*", LODE_REASON_CHILD, 0},
	{"accept*", LODE_REASON_NETWORK, 0},
	{"connect", LODE_REASON_NETWORK, 0},
	{"recv*", LODE_REASON_NETWORK, 0},
	{"send", LODE_REASON_NETWORK, 0},
	{"sendto", LODE_REASON_NETWORK, 0},
	{"send*msg", LODE_REASON_NETWORK, 0},
	{"read", LODE_REASON_IPC, 0},
	{"readv", LODE_REASON_IPC, 0},
	{"write", LODE_REASON_IPC, 0},
	{"writev", LODE_REASON_IPC, 0},
	{"mq_timed*", LODE_REASON_IPC, 0},
	{"msgrcv", LODE_REASON_IPC, 0},
	{"msgsnd", LODE_REASON_IPC, 0},
	{"fsync", LODE_REASON_DISK, 0},
	{"fdatasync", LODE_REASON_DISK, 0},
	{"sync*", LODE_REASON_DISK, 0},
	{"msync", LODE_REASON_DISK, 0},
	{"pread*", LODE_REASON_DISK, 0},
	{"pwrite*", LODE_REASON_DISK, 0},
	{"io_getevents", LODE_REASON_DISK, 0},
	{"open", LODE_REASON_DISK, 0},
	{"open64", LODE_REASON_DISK, 0},
	{"openat*", LODE_REASON_DISK, 0},
	{"*stat", LODE_REASON_DISK, 0},
	{"*stat64", LODE_REASON_DISK, 0},
	{"*fstatat*", LODE_REASON_DISK, 0},
	{"statx", LODE_REASON_DISK, 0},
	{"getdents*", LODE_REASON_DISK, 0},
	{"access", LODE_REASON_DISK, 0},
	{"faccessat*", LODE_REASON_DISK, 0},
	{"unlink*", LODE_REASON_DISK, 0},
	{"rename*", LODE_REASON_DISK, 0},
	{"mkdir*", LODE_REASON_DISK, 0},
	{"rmdir", LODE_REASON_DISK, 0},
};

/* What an interrupt was about, innermost first. */
static const struct row device_rows[] = {
	{"blk_*", LODE_DEVICE_DISK},
	{"__blk_*", LODE_DEVICE_DISK},
	{"bio_endio", LODE_DEVICE_DISK},
	{"end_bio_*", LODE_DEVICE_DISK},
	{"*_end_bio*", LODE_DEVICE_DISK},
	{"mpage_*end_io", LODE_DEVICE_DISK},
	{"end_buffer_*", LODE_DEVICE_DISK},
	{"dio_bio_end*", LODE_DEVICE_DISK},
	{"iomap_*end_*", LODE_DEVICE_DISK},
	{"submit_bio_wait_endio", LODE_DEVICE_DISK},
	{"scsi_*", LODE_DEVICE_DISK},
	{"sd_*", LODE_DEVICE_DISK},
	{"nvme_*", LODE_DEVICE_DISK},
	{"virtblk_*", LODE_DEVICE_DISK},
	{"virtscsi_*", LODE_DEVICE_DISK},
	{"ata_*", LODE_DEVICE_DISK},
	{"ahci_*", LODE_DEVICE_DISK},
	{"megasas_*", LODE_DEVICE_DISK},
	{"mpt3sas_*", LODE_DEVICE_DISK},
	{"_base_interrupt", LODE_DEVICE_DISK},
	{"mmc_*", LODE_DEVICE_DISK},
	{"sdhci_*", LODE_DEVICE_DISK},
	{"ufshcd_*", LODE_DEVICE_DISK},
	{"blkif_*", LODE_DEVICE_DISK},
	{"dm_*", LODE_DEVICE_DISK},
	{"clone_endio", LODE_DEVICE_DISK},
	{"net_rx_action", LODE_DEVICE_NETWORK},
	{"net_tx_action", LODE_DEVICE_NETWORK},
	{"*napi_*", LODE_DEVICE_NETWORK},
	{"process_backlog", LODE_DEVICE_NETWORK},
	{"*netif_receive_skb*", LODE_DEVICE_NETWORK},
	{"ip_rcv*", LODE_DEVICE_NETWORK},
	{"ipv6_rcv", LODE_DEVICE_NETWORK},
	{"tcp_v[46]_rcv", LODE_DEVICE_NETWORK},
	{"udp*_rcv", LODE_DEVICE_NETWORK},
	{"virtnet_*", LODE_DEVICE_NETWORK},
	{"skb_recv_done", LODE_DEVICE_NETWORK},
	{"hrtimer_*", LODE_DEVICE_TIMER},
	{"__hrtimer_*", LODE_DEVICE_TIMER},
	{"call_timer_fn", LODE_DEVICE_TIMER},
	{"expire_timers", LODE_DEVICE_TIMER},
	{"run_timer_*", LODE_DEVICE_TIMER},
	{"__run_timer*", LODE_DEVICE_TIMER},
	{"timer_expire_*", LODE_DEVICE_TIMER},
	{"timer_interrupt", LODE_DEVICE_TIMER},
	{"process_timeout", LODE_DEVICE_TIMER},
	{"posix_timer_fn", LODE_DEVICE_TIMER},
	{"it_real_fn", LODE_DEVICE_TIMER},
	{"alarmtimer_*", LODE_DEVICE_TIMER},
	{"timerfd_*", LODE_DEVICE_TIMER},
	{"tick_*", LODE_DEVICE_TIMER},
	{"update_process_times", LODE_DEVICE_TIMER},
};

#define BY_HARDWARE (LODE_MARK_INTERRUPT | LODE_MARK_HARDWARE)

/* LODE_MARK_SENDER of a frame alone: it takes packets that a thread of this machine sent. */
static const struct row mark_rows[] = {
	{"exc_page_fault", LODE_MARK_FAULT},
	{"asm_exc_page_fault", LODE_MARK_FAULT},
	{"page_fault", LODE_MARK_FAULT},
	{"async_page_fault", LODE_MARK_FAULT},
	{"do_page_fault", LODE_MARK_FAULT},
	{"__do_page_fault", LODE_MARK_FAULT},
	{"do_async_page_fault", LODE_MARK_FAULT},
	{"do_user_addr_fault", LODE_MARK_FAULT},
	{"do_translation_fault", LODE_MARK_FAULT},
	{"do_mem_abort", LODE_MARK_FAULT},
	{"*handle_mm_fault", LODE_MARK_FAULT},
	{"handle_pte_fault", LODE_MARK_FAULT},
	{"do_fault", LODE_MARK_FAULT},
	{"__do_fault", LODE_MARK_FAULT},
	{"do_read_fault", LODE_MARK_FAULT},
	{"do_anonymous_page", LODE_MARK_FAULT},
	{"do_swap_page", LODE_MARK_FAULT},
	{"swapin_readahead", LODE_MARK_FAULT},
	{"*filemap_fault", LODE_MARK_FAULT},
	{"faultin_page", LODE_MARK_FAULT},
	{"asm_sysvec_*", BY_HARDWARE},
	{"sysvec_*", BY_HARDWARE},
	{"__sysvec_*", BY_HARDWARE},
	{"asm_common_interrupt", BY_HARDWARE},
	{"common_interrupt", BY_HARDWARE},
	{"__common_interrupt", BY_HARDWARE},
	{"do_IRQ", BY_HARDWARE},
	{"ret_from_intr", BY_HARDWARE},
	{"*apic_timer_interrupt", BY_HARDWARE},
	{"*call_function*_interrupt", BY_HARDWARE},
	{"*reschedule_interrupt", BY_HARDWARE},
	{"*do_softirq*", LODE_MARK_INTERRUPT},
	{"handle_softirqs", LODE_MARK_INTERRUPT},
	{"run_ksoftirqd", BY_HARDWARE},
	{"irq_exit*", BY_HARDWARE},
	{"__irq_exit_rcu", BY_HARDWARE},
	{"handle_irq_event*", BY_HARDWARE},
	{"handle_*_irq", BY_HARDWARE},
	{"gic_handle_irq*", BY_HARDWARE},
	{"el[01]_irq*", BY_HARDWARE},
	{"el[01]*_irq_handler", BY_HARDWARE},
	{"el[01]_interrupt", BY_HARDWARE},
	{"do_interrupt_handler", BY_HARDWARE},
	/* Where packets leave; each lets softirqs run again before it returns. */
	{"__dev_queue_xmit", LODE_MARK_TRANSMIT},
	{"dev_queue_xmit*", LODE_MARK_TRANSMIT},
	{"__dev_direct_xmit", LODE_MARK_TRANSMIT},
	{"ip_finish_output2", LODE_MARK_TRANSMIT},
	{"ip6_finish_output2", LODE_MARK_TRANSMIT},
	{"tcp_v[46]_send_*", LODE_MARK_TRANSMIT},
	{"tcp_abort", LODE_MARK_TRANSMIT},
	/* Queues that software alone fills: loopback, veth, tunnels. */
	{"process_backlog", LODE_MARK_SENDER},
	{"veth_poll", LODE_MARK_SENDER},
	{"gro_cell_poll", LODE_MARK_SENDER},
	{"kthread", LODE_MARK_KTHREAD},
	{"kthreadd", LODE_MARK_KTHREAD},
};

#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

/* The name without what compilers and linkers append (".isra.0", ".part.0", "@@GLIBC_2.17"). */
static const char *plain_name(const char *name, char *buffer, size_t size)
{
	size_t len = strcspn(name, ".@");

	if (len == 0 || len >= size || !name[len])
		return name;
	memcpy(buffer, name, len);
	buffer[len] = '\0';
	return buffer;
}

/*
 * Rows of the tables by how names that they may match begin, or, if a star comes first, end, which
 * rules out nearly all of them; those of which neither is known are under 0.
 */
enum { REASONS, DEVICES, MARKS, CALLS, N_TABLES };
enum { ANY_NAME = 0, ENDINGS = 256, N_KEYS = 2 * ENDINGS };
struct tables {
	const struct row *rows[N_TABLES];
	uint16_t first[N_TABLES][N_KEYS]; /* row + 1; 0: none */
	uint16_t next[N_TABLES][N_ROWS(kernel_rows)];
};
_Static_assert(N_ROWS(device_rows) <= N_ROWS(kernel_rows), "room for devices");
_Static_assert(N_ROWS(mark_rows) <= N_ROWS(kernel_rows), "room for marks");
_Static_assert(N_ROWS(call_rows) <= N_ROWS(kernel_rows), "room for calls");

/* Of up to three bytes: 1 to 255. */
static unsigned key_of_bytes(const char *text)
{
	unsigned key = 0;

	for (unsigned i = 0; i < 3 && text[i]; i++)
		key = key * 37 + (unsigned char)text[i];
	return key % 255 + 1;
}

static unsigned key_of_ending(const char *name)
{
	size_t n = strlen(name);

	return ENDINGS + key_of_bytes(name + (n > 3 ? n - 3 : 0));
}

/* Of the names that a glob matches. */
static unsigned key_of_glob(const char *glob)
{
	static const char special[] = "*?[\\";
	size_t n_plain = strcspn(glob, special);

	if (n_plain >= 3 || !glob[n_plain])
		return key_of_bytes(glob);
	if (*glob == '*' && strlen(glob) > 3 && !strpbrk(glob + 1, special))
		return key_of_ending(glob);
	return ANY_NAME;
}

static void index_rows(struct tables *tables, unsigned table, const struct row *rows, size_t n)
{
	tables->rows[table] = rows;
	/* In front of those behind it. */
	for (size_t i = n; i-- > 0;) {
		unsigned key = key_of_glob(rows[i].glob);

		tables->next[table][i] = tables->first[table][key];
		tables->first[table][key] = (uint16_t)(i + 1);
	}
}

static void index_tables(struct tables *tables)
{
	memset(tables->first, 0, sizeof(tables->first));
	index_rows(tables, REASONS, kernel_rows, N_ROWS(kernel_rows));
	index_rows(tables, DEVICES, device_rows, N_ROWS(device_rows));
	index_rows(tables, MARKS, mark_rows, N_ROWS(mark_rows));
	index_rows(tables, CALLS, call_rows, N_ROWS(call_rows));
}

/* The first row that matches, of those under a key; its number + 1, or 0. `marks` NULL, or all
   rows that match give theirs. */
static unsigned match_rows(const struct tables *tables, unsigned table, unsigned key,
			   const char *name, uint8_t *marks)
{
	unsigned found = 0;

	for (unsigned i = tables->first[table][key]; i; i = tables->next[table][i - 1])
		if (lode_glob_match(tables->rows[table][i - 1].glob, name)) {
			found = found ? found : i;
			if (!marks)
				break;
			*marks |= tables->rows[table][i - 1].value;
		}
	return found;
}

static const struct row *match(const struct tables *tables, unsigned table, const char *name,
			       uint8_t *marks)
{
	const unsigned keys[] = {key_of_bytes(name), key_of_ending(name), ANY_NAME};
	unsigned first = 0;

	for (size_t k = 0; k < N_ROWS(keys); k++) {
		unsigned i = match_rows(tables, table, keys[k], name, marks);

		if (i && (!first || i < first))
			first = i;
	}
	return first ? &tables->rows[table][first - 1] : NULL;
}

static void kernel_frame_meaning(struct lode_stack_meaning *m, const struct tables *tables,
				 const char *name)
{
	const struct row *reason = match(tables, REASONS, name, NULL);
	const struct row *device = match(tables, DEVICES, name, NULL);

	if (reason) {
		m->reason = reason->value;
		m->rank = reason->rank;
	}
	if (device)
		m->device = device->value;
	m->marks = LODE_MARK_KERNEL;
	match(tables, MARKS, name, &m->marks);
}

/* Without what stands before the name of a system call. */
static const char *bare_call(const char *name)
{
	static const char *const prefixes[] = {"sys_enter_", "__x64_sys_", "__arm64_sys_",
					       "sys_",	     "__libc_",	   "__GI_"};

	if (*name != '_' && *name != 's')
		return name;
	/* "__GI___poll" has two of them. */
	for (size_t i = 0; i < N_ROWS(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			name += strlen(prefixes[i]);
	return name + strspn(name, "_");
}

enum lode_wait_reason lode_reason_of_syscall(const char *name)
{
	name = bare_call(name);
	for (size_t i = 0; i < N_ROWS(call_rows); i++)
		if (lode_glob_match(call_rows[i].glob, name))
			return (enum lode_wait_reason)call_rows[i].value;
	return LODE_REASON_NONE;
}

static uint8_t call_reason(const struct tables *tables, const char *name)
{
	const struct row *row = match(tables, CALLS, bare_call(name), NULL);

	return row ? row->value : LODE_REASON_NONE;
}

/* What each frame alone means. */
static struct lode_stack_meaning *frame_meanings(const struct lode_calltree *tree)
{
	struct lode_stack_meaning *frames = lode_alloc0(tree->frames.n, sizeof(*frames));
	struct tables tables;
	char buffer[256];

	index_tables(&tables);
	for (uint32_t i = 0; i < tree->frames.n; i++) {
		unsigned flags = tree->frames.at[i].flags;
		const char *name = plain_name(lode_frame_function(tree, i), buffer, sizeof(buffer));

		if (flags & LODE_FRAME_LINK)
			continue;
		if (flags & LODE_FRAME_KERNEL) {
			kernel_frame_meaning(&frames[i], &tables, name);
		} else {
			frames[i].marks = LODE_MARK_USER;
			frames[i].user_reason = call_reason(&tables, name);
		}
	}
	return frames;
}

/*
 * Marks of a stack with one more frame. Of sending it counts what comes first: a thread transmits,
 * and in that a softirq takes packets from a queue. An interrupt between or behind says otherwise.
 */
static unsigned add_marks(unsigned marks, unsigned frame)
{
	const unsigned sending = LODE_MARK_TRANSMIT | LODE_MARK_SENDER;

	if (frame & LODE_MARK_HARDWARE)
		marks &= ~sending;
	if (marks & LODE_MARK_INTERRUPT)
		frame &= ~(unsigned)LODE_MARK_TRANSMIT;
	if (~marks & (LODE_MARK_INTERRUPT | LODE_MARK_TRANSMIT))
		frame &= ~(unsigned)LODE_MARK_SENDER;
	return marks | frame;
}

/* The meaning of a stack: its caller's, with the innermost frame added. */
static struct lode_stack_meaning add_frame(struct lode_stack_meaning m,
					   const struct lode_stack_meaning *frame)
{
	/* Above its interrupt the stack is that of the thread which was interrupted. */
	if (frame->marks & LODE_MARK_INTERRUPT && !(m.marks & LODE_MARK_INTERRUPT))
		m.device = LODE_DEVICE_NONE;
	m.marks = (uint8_t)add_marks(m.marks, frame->marks);
	if (frame->device)
		m.device = frame->device;
	if (frame->user_reason)
		m.user_reason = frame->user_reason;
	if (frame->rank && frame->rank >= m.rank) {
		m.rank = frame->rank;
		m.reason = frame->reason;
		if (m.reason == LODE_REASON_DISK && m.marks & LODE_MARK_FAULT)
			m.reason = LODE_REASON_FAULT;
	}
	return m;
}

struct lode_stack_meaning *lode_stack_meanings(const struct lode_calltree *tree)
{
	struct lode_stack_meaning *frames = frame_meanings(tree);
	struct lode_stack_meaning *nodes = lode_alloc0(tree->nodes.n, sizeof(*nodes));

	/* Node 0 is the empty stack; parents have smaller ids. */
	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		/* Behind a link is the stack of another thread. */
		if (!(tree->frames.at[node->frame].flags & LODE_FRAME_LINK))
			nodes[i] = add_frame(nodes[node->parent], &frames[node->frame]);
	}
	free(frames);
	return nodes;
}

enum lode_wait_reason lode_reason_of_wait(const struct lode_stack_meaning *meaning,
					  enum lode_wait_reason hint, bool is_disk_sleep,
					  enum lode_device device)
{
	enum lode_wait_reason reason = (enum lode_wait_reason)meaning->reason;

	if (meaning->rank < RANK_SHARED) {
		enum lode_wait_reason call = hint;

		if (!call && !(meaning->marks & LODE_MARK_KERNEL))
			call = (enum lode_wait_reason)meaning->user_reason;
		/* read() and write() sleep in state D only for disks. */
		if (is_disk_sleep && (call == LODE_REASON_IPC || call == LODE_REASON_NONE))
			call = reason ? LODE_REASON_NONE : LODE_REASON_DISK;
		reason = call ? call : reason ? reason : LODE_REASON_OTHER;
	}
	/* poll waits for the time, io_uring for a disk. */
	if (reason == LODE_REASON_POLL && device == LODE_DEVICE_TIMER)
		return LODE_REASON_TIMER;
	if (reason == LODE_REASON_POLL && device == LODE_DEVICE_DISK)
		return LODE_REASON_DISK;
	return reason;
}

enum lode_device lode_device_of_waking(const struct lode_stack_meaning *waker,
				       const struct lode_stack_meaning *waiting,
				       enum lode_wait_reason hint)
{
	if (waker->device)
		return (enum lode_device)waker->device;
	switch (lode_reason_of_wait(waiting, hint, false, LODE_DEVICE_NONE)) {
	case LODE_REASON_DISK:
	case LODE_REASON_FAULT:
		return LODE_DEVICE_DISK;
	case LODE_REASON_NETWORK:
		return LODE_DEVICE_NETWORK;
	case LODE_REASON_TIMER:
		return LODE_DEVICE_TIMER;
	default:
		return LODE_DEVICE_OTHER;
	}
}
